! pendulum
!
! Model pendulum, version 1.2; written by cardan 0.1.0.
!
! A driven pendulum with an elastic stop.
!
! Functions, in the order in which they are called:
!   setup: Computes what depends on parameters alone.
!   derivatives: Computes the time derivatives of the state.
!   outputs: Computes what is reported.
!
! Array w (4 numbers) carries intermediate results between them.
!
! Array p: parameters
!   1 m [kg] mass of the bob
!   2 L [m] length of the rod
!   3 g [m/s^2] gravity
!   4 k.stop [N*m/rad] stiffness of the stop
!
! Array start: values at the beginning
!   1 start angle [rad] angle at the beginning
!
! Number t: time
!   t [s] time
!
! Array x: state
!   1 θ [rad] angle from the vertical
!   2 der(θ) [rad/s] angular velocity
!
! Array dx: time derivatives of the state
!   1 der(θ) [rad/s] angular velocity
!   2 der(der(θ)) [rad/s^2] angular acceleration
!
! Array y: reported quantities
!   1 energy [J] kinetic and potential energy
!   2 torque of the stop [N*m]
!   3 hit whether the stop is touched
!
! Operations:
!   setup: 5 mul
!   derivatives: 2 mul + 3 add + 1 div + 2 trig + 2 compare
!   outputs: 4 mul + 3 add + 1 trig + 2 compare

module pendulum
    use, intrinsic :: iso_fortran_env, only: dp => real64
    implicit none
    private
    public :: setup, derivatives, outputs

    ! Length of the array w.
    integer, parameter, public :: n_work = 4

contains

    ! Computes what depends on parameters alone.
    subroutine setup(p, w, start)
        real(dp), intent(in) :: p(4)
        real(dp), intent(inout) :: w(n_work)
        real(dp), intent(out) :: start(1)
        real(dp) :: m, L, g, k_stop, z1

        m = p(1) ! [kg] mass of the bob
        L = p(2) ! [m] length of the rod
        g = p(3) ! [m/s^2] gravity
        k_stop = p(4) ! [N*m/rad] stiffness of the stop

        ! Stage setup.
        z1 = m*(L*L)

        ! What later functions need.
        w(1) = k_stop
        w(2) = z1
        w(3) = L*(m*g)
        w(4) = 0.5_dp*z1

        ! Values at the beginning.
        start(1) = 0.3_dp ! start angle [rad]: angle at the beginning
    end subroutine setup

    ! Computes the time derivatives of the state.
    subroutine derivatives(t, x, w, dx)
        real(dp), intent(in) :: t
        real(dp), intent(in) :: x(2)
        real(dp), intent(in) :: w(n_work)
        real(dp), intent(out) :: dx(2)
        real(dp) :: theta, theta_dot, k_stop, z1, z3

        theta = x(1) ! [rad] angle from the vertical
        theta_dot = x(2) ! [rad/s] angular velocity

        k_stop = w(1) ! [N*m/rad] stiffness of the stop
        z1 = w(2)
        z3 = w(3)

        ! Time derivatives of the state.
        dx(1) = theta_dot ! der(θ) [rad/s]: angular velocity
        ! der(der(θ)) [rad/s^2]: angular acceleration
        dx(2) = (cos(t) - z3*sin(theta) - merge(k_stop*(theta - 0.5_dp), 0.0_dp, &
            0.5_dp < theta))/z1
    end subroutine derivatives

    ! Computes what is reported.
    subroutine outputs(t, x, w, y)
        real(dp), intent(in) :: t
        real(dp), intent(in) :: x(2)
        real(dp), intent(in) :: w(n_work)
        real(dp), intent(out) :: y(3)
        real(dp) :: theta, theta_dot, k_stop, z3, z4
        logical :: hit

        associate (unused => t)
        end associate
        theta = x(1) ! [rad] angle from the vertical
        theta_dot = x(2) ! [rad/s] angular velocity

        k_stop = w(1) ! [N*m/rad] stiffness of the stop
        z3 = w(3)
        z4 = w(4)

        ! Stage motion.
        hit = 0.5_dp < theta

        ! Reported quantities.
        ! energy [J]: kinetic and potential energy
        y(1) = z3*(1.0_dp - cos(theta)) + theta_dot*theta_dot*z4
        y(2) = merge(k_stop*(theta - 0.5_dp), 0.0_dp, hit) ! torque of the stop [N*m]
        y(3) = merge(1.0_dp, 0.0_dp, hit) ! hit: whether the stop is touched
    end subroutine outputs

end module pendulum
