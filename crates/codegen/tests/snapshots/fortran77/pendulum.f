C     pendulum
C
C     Model pendulum, version 1.2; written by cardan 0.1.0.
C
C     A driven pendulum with an elastic stop.
C
C     Functions, in the order in which they are called:
C       PENDULUM_SETUP: Computes what depends on parameters alone.
C       PENDULUM_DERIVATIVES: Computes the time derivatives of the
C       state.
C       PENDULUM_OUTPUTS: Computes what is reported.
C
C     Array W (4 numbers) carries intermediate results between them.
C
C     Array P: parameters
C       1 m [kg] mass of the bob
C       2 L [m] length of the rod
C       3 g [m/s^2] gravity
C       4 k.stop [N*m/rad] stiffness of the stop
C
C     Array START: values at the beginning
C       1 start angle [rad] angle at the beginning
C
C     Number T: time
C       t [s] time
C
C     Array X: state
C       1 θ [rad] angle from the vertical
C       2 der(θ) [rad/s] angular velocity
C
C     Array DX: time derivatives of the state
C       1 der(θ) [rad/s] angular velocity
C       2 der(der(θ)) [rad/s^2] angular acceleration
C
C     Array Y: reported quantities
C       1 energy [J] kinetic and potential energy
C       2 torque of the stop [N*m]
C       3 hit whether the stop is touched
C
C     Operations:
C       PENDULUM_SETUP: 5 mul
C       PENDULUM_DERIVATIVES: 2 mul + 3 add + 1 div + 2 trig + 2
C       compare
C       PENDULUM_OUTPUTS: 4 mul + 3 add + 1 trig + 2 compare

C     Computes what depends on parameters alone.
      SUBROUTINE PENDULUM_SETUP(P, W, START)
      IMPLICIT NONE
      DOUBLE PRECISION P(*), W(*), START(*)
      DOUBLE PRECISION Z(1)

C     Stage setup.
      Z(1) = P(1)*(P(2)*P(2))

C     What later functions need.
      W(1) = P(4)
      W(2) = Z(1)
      W(3) = P(2)*(P(1)*P(3))
      W(4) = 0.5D0*Z(1)

C     Values at the beginning.
C     start angle [rad]: angle at the beginning
      START(1) = 0.3D0
      END

C     Computes the time derivatives of the state.
      SUBROUTINE PENDULUM_DERIVATIVES(T, X, W, DX)
      IMPLICIT NONE
      DOUBLE PRECISION T, X(*), W(*), DX(*)
      DOUBLE PRECISION PENDULUM_IF

C     Time derivatives of the state.
C     der(θ) [rad/s]: angular velocity
      DX(1) = X(2)
C     der(der(θ)) [rad/s^2]: angular acceleration
      DX(2) = (COS(T) - W(3)*SIN(X(1)) - PENDULUM_IF(0.5D0 .LT. X(1),
     &  W(1)*(X(1) - 0.5D0), 0.0D0))/W(2)
      END

C     Computes what is reported.
      SUBROUTINE PENDULUM_OUTPUTS(T, X, W, Y)
      IMPLICIT NONE
      DOUBLE PRECISION T, X(*), W(*), Y(*)
      LOGICAL LZ(2)
      DOUBLE PRECISION PENDULUM_IF
      IF (.FALSE.) T = 0.0D0

C     Stage motion.
      LZ(2) = 0.5D0 .LT. X(1)

C     Reported quantities.
C     energy [J]: kinetic and potential energy
      Y(1) = W(3)*(1.0D0 - COS(X(1))) + X(2)*X(2)*W(4)
C     torque of the stop [N*m]
      Y(2) = PENDULUM_IF(LZ(2), W(1)*(X(1) - 0.5D0), 0.0D0)
C     hit: whether the stop is touched
      Y(3) = PENDULUM_IF(LZ(2), 1.0D0, 0.0D0)
      END

C     A if C is true, otherwise B.
      DOUBLE PRECISION FUNCTION PENDULUM_IF(C, A, B)
      LOGICAL C
      DOUBLE PRECISION A, B
      PENDULUM_IF = B
      IF (C) PENDULUM_IF = A
      END
